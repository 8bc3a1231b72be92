package io.statestore.sample;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** Ports for servers that tests start later, or more than once. */
public final class Ports {

	/** Operating systems assign higher ports to connections and to port 0. */
	private static final int MIN = 20_000;

	private static final int MAX = 32_000;

	/** Starts at a random port, because tests run in several processes. */
	private static final AtomicInteger NEXT = new AtomicInteger(ThreadLocalRandom.current().nextInt(MIN, MAX));

	private Ports() {
	}

	/** Returns a free port, different for each call. */
	public static int free() {
		return free(1);
	}

	/** Returns the first of several consecutive free ports. */
	public static int free(int count) {
		for (int i = 0; i < 100; i++) {
			int port = NEXT.getAndUpdate((next) -> (next < MAX) ? next + count : MIN);
			if (IntStream.range(port, port + count).allMatch(Ports::isFree)) {
				return port;
			}
		}
		throw new IllegalStateException("No " + count + " free ports from " + MIN + " to " + MAX);
	}

	private static boolean isFree(int port) {
		try (ServerSocket socket = new ServerSocket()) {
			socket.setReuseAddress(true);
			socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
			return true;
		}
		catch (IOException ex) {
			return false;
		}
	}

}
