package io.statestore.test;

import java.io.IOException;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Ports for servers that must know their port before they start or must reuse it later.
 * The ports are below the range that Linux uses for outgoing connections, which could
 * take a free port in that range at any time. Thread-safe.
 */
public final class FreePorts {

	private static final int FIRST = 10_000;

	private static final int COUNT = 20_000;

	/** Begins at a random port, because tests run in several JVMs. */
	private static final AtomicInteger next = new AtomicInteger(ThreadLocalRandom.current().nextInt(COUNT));

	private FreePorts() {
	}

	/**
	 * Returns a port on which nothing listens. Calls in the same JVM return different
	 * ports.
	 * @return a free port
	 */
	public static int next() {
		for (int attempt = 0; attempt < COUNT; attempt++) {
			int port = FIRST + Math.floorMod(next.getAndIncrement(), COUNT);
			if (isFree(port)) {
				return port;
			}
		}
		throw new IllegalStateException("No port is free");
	}

	private static boolean isFree(int port) {
		try (ServerSocket socket = new ServerSocket(port)) {
			return socket.isBound();
		}
		catch (IOException ex) {
			return false;
		}
	}

}
