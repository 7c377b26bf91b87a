/** A `fetch` that reports why the client is about to wait. It passes every answer on unchanged. */
export function watchFetch(onWait: (reason: string) => void): typeof fetch {
  return async (...call) => {
    try {
      const answer = await fetch(...call);
      if (answer.status === 429) onWait('waiting: the rate of this key is used up');
      else if (answer.status === 409) onWait('waiting: the first try is still under way');
      else if (answer.status >= 500) onWait(`waiting: the gateway answers ${answer.status}`);
      return answer;
    } catch (error) {
      onWait('waiting: the gateway does not answer');
      throw error;
    }
  };
}
