-- The node that has claimed it, so that what a gone node had claimed is due again as soon as it is known to be gone.
alter table delivery add column claimed_by uuid;
