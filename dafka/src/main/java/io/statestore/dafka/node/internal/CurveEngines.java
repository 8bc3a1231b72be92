package io.statestore.dafka.node.internal;

import java.lang.reflect.Field;
import java.nio.channels.SocketChannel;
import java.util.Set;
import java.util.function.Function;

import io.statestore.dafka.DafkaException;
import zmq.io.IOObject;
import zmq.io.StreamEngine;
import zmq.io.coder.IDecoder;
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

	private final Field decoder = field(StreamEngine.class, "decoder");

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
	 * @param handshakes returns the handshake of a connection
	 */
	void replace(Object poller, Function<SocketChannel, CurveHandshake> handshakes) {
		try {
			for (Object handle : (Set<?>) this.handles.get(poller)) {
				if (this.channel.get(handle) instanceof SocketChannel channel
						&& this.handler.get(handle) instanceof IOObject object
						&& this.engine.get(object) instanceof StreamEngine engine) {
					Object current = this.mechanism.get(engine);
					if (current != null && !(current instanceof CurveHandshake)) {
						replace(engine, handshakes.apply(channel));
					}
				}
			}
		}
		catch (IllegalAccessException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private void replace(StreamEngine engine, CurveHandshake handshake) throws IllegalAccessException {
		this.mechanism.set(engine, handshake);
		// It has not read anything yet, because the greeting is read without a decoder.
		IDecoder before = (IDecoder) this.decoder.get(engine);
		this.decoder.set(engine, handshake.decoder(before.getBuffer().capacity()));
		before.destroy();
	}

}
