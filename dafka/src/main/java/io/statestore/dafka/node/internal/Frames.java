package io.statestore.dafka.node.internal;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.zeromq.ZMQ;

/** Sends and receives messages of several frames. */
final class Frames {

	private Frames() {
	}

	/**
	 * Receives a message if one has arrived.
	 * @param socket the socket
	 * @return the frames, or {@code null} if there is no message
	 */
	public static @Nullable List<byte[]> receive(ZMQ.Socket socket) {
		byte[] first = socket.recv(ZMQ.DONTWAIT);
		return (first != null) ? rest(socket, first) : null;
	}

	/**
	 * Receives the rest of a message.
	 * @param socket the socket
	 * @param first first frame, which was already received
	 * @return all frames
	 */
	public static List<byte[]> rest(ZMQ.Socket socket, byte[] first) {
		List<byte[]> frames = new ArrayList<>();
		frames.add(first);
		while (socket.hasReceiveMore()) {
			frames.add(socket.recv(0));
		}
		return frames;
	}

	/**
	 * Sends a message.
	 * @param socket the socket
	 * @param frames the frames
	 */
	public static void send(ZMQ.Socket socket, List<byte[]> frames) {
		for (int i = 0; i < frames.size(); i++) {
			socket.send(frames.get(i), (i + 1 < frames.size()) ? ZMQ.SNDMORE : 0);
		}
	}

}
