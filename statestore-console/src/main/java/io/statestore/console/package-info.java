/**
 * Console of an application: a page that shows keys, history, locks, and servers of its
 * state store to the users who may read them.
 */
@NullMarked
package io.statestore.console;

import org.jspecify.annotations.NullMarked;
