/**
 * The {@link io.statestore.dafka.store.Store}, which keeps records and sends them to
 * nodes that miss them.
 */
@NullMarked
package io.statestore.dafka.store;

import org.jspecify.annotations.NullMarked;
