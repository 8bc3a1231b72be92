/**
 * History of a state store as a topic on a Dafka network. See
 * {@link io.statestore.history.ChangeTopic}.
 */
@NullMarked
package io.statestore.history;

import org.jspecify.annotations.NullMarked;
