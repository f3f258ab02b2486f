package io.millrace.api;

import java.io.Serializable;

/**
 * The sides of a join whose records give a result even without a match.
 *
 * @param left those of the first stream
 * @param right those of the second stream
 */
record JoinSides(boolean left, boolean right) implements Serializable {
  static final JoinSides INNER = new JoinSides(false, false);
  static final JoinSides LEFT = new JoinSides(true, false);
  static final JoinSides RIGHT = new JoinSides(false, true);
  static final JoinSides FULL = new JoinSides(true, true);
}
