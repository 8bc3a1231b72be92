package io.statestore.client.mqtt.internal;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicLong;

import io.statestore.protocol.Bytes;

/** Generator of unique correlation data. Thread-safe. */
final class CorrelationData {

	private static final int LENGTH = 16;

	/** Distinguishes requests of this process from those of an earlier one. */
	private final long prefix = new SecureRandom().nextLong();

	private final AtomicLong counter = new AtomicLong();

	Bytes next() {
		byte[] data = new byte[LENGTH];
		ByteBuffer.wrap(data).putLong(this.prefix).putLong(this.counter.incrementAndGet());
		return Bytes.wrap(data);
	}

}
