// The tools by name.
import { FIGURE, GROUND, VOID } from '../mask.js';
import { Brush } from './brush.js';
import { Superpixel } from './superpixel.js';
import { Polygon } from './polygon.js';
import { Box, scribbles } from './cut.js';
import { Boxes } from './boxes.js';
import { Take } from './take.js';

/**
 * A Tool is called with what the pointer does.
 * @typedef {{ x: number, y: number, shift: boolean }} Point in picture pixels
 * @typedef {object} Tool
 * @property {string} name
 * @property {boolean} [clicks] up means a click, not the end of a stroke
 * @property {boolean} [pans] the pointer moves the picture
 * @property {string} [turned] the setting that Shift turns round: ground or add
 * @property {boolean} [sized] it has the brush's size
 * @property {(p: Point) => void} down
 * @property {(p: Point) => void} move
 * @property {(p: Point) => void} up
 * @property {() => void} cancel
 * @property {() => void} [enter]
 * @property {() => void} [leave]
 * @property {(p: Point) => void} [hover]
 * @property {() => void} [finish]
 * @property {() => boolean | void} [back]
 * @property {(g: CanvasRenderingContext2D, view: import('../view.js').View, p: Point | null) => void} [draw]
 */

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

/** @returns {Map<string, Tool>} */
export function makeTools(editor) {
  /** @type {Tool[]} */
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
