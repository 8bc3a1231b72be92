/**
 * The {@link io.statestore.dafka.producer.Producer}: records in, acknowledgments out.
 */
@NullMarked
package io.statestore.dafka.producer;

import org.jspecify.annotations.NullMarked;
