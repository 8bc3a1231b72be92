package io.statestore.client.mqtt.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicLong;

import io.statestore.protocol.Bytes;

/** Generator of unique correlation data. Thread-safe. */
final class CorrelationData {

	private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

	/** Distinguishes requests of this process from those of an earlier one. */
	private final long prefix = new SecureRandom().nextLong();

	private final AtomicLong counter = new AtomicLong();

	Bytes next() {
		byte[] data = new byte[2 * Long.BYTES];
		LONGS.set(data, 0, this.prefix);
		LONGS.set(data, Long.BYTES, this.counter.incrementAndGet());
		return Bytes.wrap(data);
	}

}
