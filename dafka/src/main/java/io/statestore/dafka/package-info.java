/**
 * Dafka 1.0 on the JVM: what producers, consumers, stores and towers share. A record is a
 * {@link io.statestore.dafka.DafkaRecord}; how nodes find each other is in
 * {@link io.statestore.dafka.NodeOptions}.
 */
@NullMarked
package io.statestore.dafka;

import org.jspecify.annotations.NullMarked;
