package io.statestore.dafka.spring;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.Position;
import io.statestore.dafka.producer.Producer;
import org.jspecify.annotations.Nullable;

/**
 * Sends values: {@code String} (as UTF-8), {@code byte[]} and {@link Bytes} as they are,
 * all others as the converter writes them. All go through one {@link Producer}, so that
 * those of one topic have an order. Safe for use by several threads.
 */
public final class DafkaTemplate {

	private final Supplier<Producer> producer;

	private final DafkaValues values;

	private final LongAdder bytes = new LongAdder();

	/**
	 * @param producer asked for with each record; may make it with the first one
	 * @param converter of all types but three; {@code null} if there are none
	 */
	public DafkaTemplate(Supplier<Producer> producer, @Nullable DafkaValueConverter converter) {
		this.producer = producer;
		this.values = new DafkaValues(converter);
	}

	/**
	 * Sends a record. Waits while the memory of the producer is full, at most its
	 * {@code maxBlock}.
	 * @param topic 1 to 255 bytes of UTF-8 without NUL
	 * @param value not {@code null}
	 * @return completes with the place of the record when a store has it, or as soon as
	 * it is sent, see {@link io.statestore.dafka.producer.Acknowledge}, on a thread of
	 * the producer; fails with {@link io.statestore.dafka.producer.SendRefusedException}
	 * if it was not sent, and with
	 * {@link io.statestore.dafka.producer.NotAcknowledgedException} if the producer was
	 * closed first
	 * @throws DafkaConversionException if the value cannot be written; nothing was sent
	 * @throws IllegalArgumentException if topic or content cannot be sent
	 */
	public CompletableFuture<Position> send(String topic, Object value) {
		Bytes content = this.values.write(topic, value);
		CompletableFuture<Position> result = this.producer.get().send(topic, content);
		this.bytes.add(content.size());
		return result;
	}

	/** How many bytes of content were given to the producer. */
	public long bytes() {
		return this.bytes.sum();
	}

}
