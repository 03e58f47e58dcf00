// The tools by name. A tool has down, move, up and cancel, called with points { x, y, shift } in picture pixels, and
// may have enter, leave, hover, and draw(context, view, pointer). clicks says that up means a click, not the end of a stroke.
import { FIGURE, GROUND, VOID } from '../mask.js';
import { Brush } from './brush.js';
import { Superpixel } from './superpixel.js';
import { Polygon } from './polygon.js';
import { Box, scribbles } from './cut.js';
import { Boxes } from './boxes.js';
import { Take } from './take.js';

class Move {
  constructor(editor) {
    this.editor = editor;
    this.name = 'move';
    this.pans = true;
  }

  down() {}
  move() {}
  up() {}
  cancel() {}
}

class Comment extends Move {
  constructor(editor) {
    super(editor);
    this.name = 'comment';
    this.clicks = true;
    this.pans = false;
  }

  up(p) { this.editor.comment(Math.floor(p.x), Math.floor(p.y)); }
}

export function makeTools(editor) {
  const list = [
    new Superpixel(editor), new Brush(editor, 'brush', FIGURE), new Brush(editor, 'eraser', GROUND), new Polygon(editor),
    new Box(editor), ...scribbles(editor), new Boxes(editor), new Brush(editor, 'void', VOID), new Take(editor), new Comment(editor), new Move(editor),
  ];
  return new Map(list.map((t) => [t.name, t]));
}

export const titles = {
  superpixel: 'Superpixels', brush: 'Brush', eraser: 'Eraser', polygon: 'Polygon', box: 'Cut by box or click', scribbleFigure: 'Scribble figure',
  scribbleGround: 'Scribble ground', boxes: 'Boxes', void: 'Void brush', take: 'Difference to another mask', comment: 'Comment', move: 'Move',
};
