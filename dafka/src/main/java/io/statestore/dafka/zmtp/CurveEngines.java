package io.statestore.dafka.zmtp;

import java.lang.reflect.Field;
import java.nio.channels.SocketChannel;
import java.util.Set;
import java.util.function.Function;

import io.statestore.dafka.DafkaException;
import zmq.io.IOObject;
import zmq.io.StreamEngine;
import zmq.io.mechanism.Mechanism;
import zmq.poll.Poller;

/**
 * Access to the connections of JeroMQ 0.6.0, to replace its implementation of CURVE.
 * JeroMQ has no option for this. Used by I/O threads.
 */
final class CurveEngines {

	private final Field handles = field(Poller.class, "fdTable");

	private final Field channel = field(Poller.Handle.class, "fd");

	private final Field handler = field(Poller.Handle.class, "handler");

	private final Field engine = field(IOObject.class, "handler");

	private final Field mechanism = field(StreamEngine.class, "mechanism");

	/**
	 * Creates an access.
	 * @throws DafkaException if another version of JeroMQ is on the class path
	 */
	CurveEngines() {
	}

	private static Field field(Class<?> type, String name) {
		try {
			Field field = type.getDeclaredField(name);
			field.setAccessible(true);
			return field;
		}
		catch (ReflectiveOperationException | RuntimeException ex) {
			throw new DafkaException("CURVE requires JeroMQ 0.6.0, but the class path contains another version ("
					+ type.getName() + '.' + name + "). Use org.zeromq:jeromq:0.6.0", ex);
		}
	}

	/**
	 * Replaces the mechanism of the connections that have just been greeted.
	 * @param poller poller of the current thread
	 * @param mechanisms returns the mechanism of a connection
	 */
	void replace(Object poller, Function<SocketChannel, Mechanism> mechanisms) {
		try {
			for (Object handle : (Set<?>) this.handles.get(poller)) {
				if (this.channel.get(handle) instanceof SocketChannel channel
						&& this.handler.get(handle) instanceof IOObject object
						&& this.engine.get(object) instanceof StreamEngine engine) {
					Object current = this.mechanism.get(engine);
					if (current != null && !(current instanceof CurveHandshake)) {
						this.mechanism.set(engine, mechanisms.apply(channel));
					}
				}
			}
		}
		catch (IllegalAccessException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
