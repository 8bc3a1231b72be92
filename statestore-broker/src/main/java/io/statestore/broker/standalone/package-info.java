/** The broker as a program of its own. */
@NullMarked
package io.statestore.broker.standalone;

import org.jspecify.annotations.NullMarked;
