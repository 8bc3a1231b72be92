/**
 * Dafka 1.0 (ZeroMQ RFC 46) on the JVM: types that producers, consumers, stores, and
 * towers share, such as {@link io.statestore.dafka.NodeOptions} and
 * {@link io.statestore.dafka.DafkaRecord}.
 */
@NullMarked
package io.statestore.dafka;

import org.jspecify.annotations.NullMarked;
