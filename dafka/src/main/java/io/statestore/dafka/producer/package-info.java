/**
 * The {@link io.statestore.dafka.producer.Producer}, which sends records.
 */
@NullMarked
package io.statestore.dafka.producer;

import org.jspecify.annotations.NullMarked;
