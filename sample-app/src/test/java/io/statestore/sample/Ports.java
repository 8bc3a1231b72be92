package io.statestore.sample;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/** Ports for servers that tests start later, or more than once. */
public final class Ports {

	/** Systems assign higher ports to connections and to port 0. */
	private static final int MIN = 20_000;

	private static final int MAX = 32_000;

	/** Tests of other processes begin elsewhere. */
	private static final AtomicInteger NEXT = new AtomicInteger(ThreadLocalRandom.current().nextInt(MIN, MAX));

	private Ports() {
	}

	/** Returns a free port, another one for each call. */
	public static int free() {
		for (int i = 0; i < 100; i++) {
			int port = NEXT.getAndUpdate((next) -> (next < MAX) ? next + 1 : MIN);
			if (isFree(port)) {
				return port;
			}
		}
		throw new IllegalStateException("No free port from " + MIN + " to " + MAX);
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
