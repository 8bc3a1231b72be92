package io.statestore.dafka.node;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.zeromq.ZMQ;

/** Messages of several frames. */
public final class Frames {

	private Frames() {
	}

	/** The next message, {@code null} if there is none. */
	public static @Nullable List<byte[]> receive(ZMQ.Socket socket) {
		byte[] first = socket.recv(ZMQ.DONTWAIT);
		return (first != null) ? rest(socket, first) : null;
	}

	/** A message of which the first frame was received already. */
	public static List<byte[]> rest(ZMQ.Socket socket, byte[] first) {
		List<byte[]> frames = new ArrayList<>();
		frames.add(first);
		while (socket.hasReceiveMore()) {
			frames.add(socket.recv(0));
		}
		return frames;
	}

	/** Sends a message. */
	public static void send(ZMQ.Socket socket, List<byte[]> frames) {
		for (int i = 0; i < frames.size(); i++) {
			socket.send(frames.get(i), (i + 1 < frames.size()) ? ZMQ.SNDMORE : 0);
		}
	}

}
