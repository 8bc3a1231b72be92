/**
 * Control room of the packaging line: a page that shows the presses and their leader. It
 * starts the broker and two presses. The console (docs/demo.md) shows keys and history.
 * <p>
 * This package is the machinery of a demonstration: it stops processes, cuts connections,
 * and updates a page. It is not the example to copy; that is the
 * {@link io.statestore.sample.press} package. Two classes may still interest
 * applications: {@link io.statestore.sample.room.LineActions}, which writes keys and
 * releases a lock, and {@link io.statestore.sample.room.LineWatcher}, which watches keys.
 */
@NullMarked
package io.statestore.sample.room;

import org.jspecify.annotations.NullMarked;
