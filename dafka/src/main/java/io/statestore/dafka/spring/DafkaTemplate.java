package io.statestore.dafka.spring;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.Position;
import io.statestore.dafka.producer.Producer;
import org.jspecify.annotations.Nullable;

/**
 * Sends values. {@code String} (as UTF-8), {@code byte[]}, and {@link Bytes} are sent
 * unchanged; a converter writes all other types. One {@link Producer} sends all values,
 * so that the values of a topic keep their order. Thread-safe.
 */
public final class DafkaTemplate {

	private final Supplier<Producer> producer;

	private final DafkaValues values;

	private final LongAdder bytes = new LongAdder();

	/**
	 * Creates a template.
	 * @param producer supplies the producer for each record; may create it for the first
	 * record
	 * @param converter converter for all other types, or {@code null} to support none
	 */
	public DafkaTemplate(Supplier<Producer> producer, @Nullable DafkaValueConverter converter) {
		this.producer = producer;
		this.values = new DafkaValues(converter);
	}

	/**
	 * Sends a record. Waits up to {@code maxBlock} while the producer's memory is full.
	 * @param topic topic name, 1 to 255 bytes of UTF-8 without NUL
	 * @param value value to send, not {@code null}
	 * @return a future for the record's position, completed on one of the producer's
	 * threads. {@link io.statestore.dafka.producer.Acknowledge} determines whether it
	 * waits for a store. It fails with
	 * {@link io.statestore.dafka.producer.SendRefusedException} if the record was not
	 * sent, and with {@link io.statestore.dafka.producer.NotAcknowledgedException} if the
	 * producer was closed first
	 * @throws DafkaConversionException if the value cannot be written; nothing was sent
	 * @throws IllegalArgumentException if topic or content cannot be sent
	 */
	public CompletableFuture<Position> send(String topic, Object value) {
		Bytes content = this.values.write(topic, value);
		CompletableFuture<Position> result = this.producer.get().send(topic, content);
		this.bytes.add(content.size());
		return result;
	}

	/**
	 * Returns the total size of the content passed to the producer.
	 * @return number of bytes since this template was created
	 */
	public long bytes() {
		return this.bytes.sum();
	}

}
