/**
 * Control room of the packaging line: a page that shows the presses and their leader. The
 * console (docs/demo.md) shows keys and history. It starts the broker and two presses.
 * <p>
 * This package is the machinery of a demonstration: it stops processes, cuts connections,
 * and updates a page. It is not the example to copy, which is the package
 * {@link io.statestore.sample.press}. Of interest to applications are
 * {@link io.statestore.sample.room.LineActions}, which writes and releases a lock, and
 * {@link io.statestore.sample.room.LineWatcher}, which watches keys.
 */
@NullMarked
package io.statestore.sample.room;

import org.jspecify.annotations.NullMarked;
