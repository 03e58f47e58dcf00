// Take: shows the difference to another mask over the picture; a click takes the region under it from there.
import { note } from '../dialog.js';
import { differing } from '../ops.js';

export class Take {
  constructor(editor) {
    this.editor = editor;
    this.name = 'take';
    this.clicks = true;
  }

  enter() { return this.editor.compare.over(true); }
  leave() { this.editor.compare.over(false); }

  down() {}
  move() {}
  cancel() {}

  up(p) {
    const { mask, compare } = this.editor, x = Math.floor(p.x), y = Math.floor(p.y);
    if (!compare.other || x < 0 || y < 0 || x >= mask.width || y >= mask.height) return;
    const taken = differing(mask.px, compare.other, mask.width, y * mask.width + x);
    if (!taken) note('The masks are equal here: click a colored region.');
    else mask.replace(taken, this.name);
  }

  // all takes the whole other mask.
  all() {
    const { mask, compare } = this.editor;
    if (!compare.other || !mask.replace(compare.other, this.name)) note('There is no difference to take.');
  }
}
