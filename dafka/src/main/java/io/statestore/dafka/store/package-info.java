/**
 * The {@link io.statestore.dafka.store.Store}: keeps what producers send and gives it to
 * who missed it.
 */
@NullMarked
package io.statestore.dafka.store;

import org.jspecify.annotations.NullMarked;
