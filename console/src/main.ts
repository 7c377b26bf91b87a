import './styles/base.css';
import './styles/layout.css';
import './styles/controls.css';
import './styles/lists.css';
import './styles/pages.css';
import { mount } from 'svelte';
import App from './App.svelte';

const target = document.getElementById('app');
if (target === null) throw new Error('The page has no place for the console');
mount(App, { target });
