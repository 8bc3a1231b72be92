/** Command-line programs that run the broker or the gateway as a process. */
@NullMarked
package io.statestore.broker.standalone;

import org.jspecify.annotations.NullMarked;
