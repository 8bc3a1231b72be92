/**
 * Control room of the packaging line: a page that shows the state store, its leader, and
 * its history. It starts the broker and two presses.
 */
@NullMarked
package io.statestore.sample.room;

import org.jspecify.annotations.NullMarked;
