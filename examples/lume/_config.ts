import lume from 'lume/mod.ts';

export default lume();
