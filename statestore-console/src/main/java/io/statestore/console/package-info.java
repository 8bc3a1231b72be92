/**
 * Console of an application: a page that shows the keys, history, locks, and servers of
 * its state store to authorized users.
 */
@NullMarked
package io.statestore.console;

import org.jspecify.annotations.NullMarked;
