package io.statestore.dafka.node.internal;

import java.util.ArrayList;
import java.util.List;

import io.statestore.dafka.Bytes;
import org.jspecify.annotations.Nullable;
import org.zeromq.ZMQ;

import static org.assertj.core.api.Assertions.assertThat;

/** Beacons and frames for tests in other packages. */
public final class TestBeacons {

	private TestBeacons() {
	}

	/** Returns the beacon of a node. */
	public static List<byte[]> announcement(String id, String host, int port) {
		return new Beacons.Announcement(Bytes.of(id), host, port).frames();
	}

	/** Receives a message if one has arrived. */
	public static @Nullable List<byte[]> receive(ZMQ.Socket socket) {
		byte[] first = socket.recv(ZMQ.DONTWAIT);
		return (first != null) ? rest(socket, first) : null;
	}

	/** Receives the remaining frames of a message and returns all its frames. */
	static List<byte[]> rest(ZMQ.Socket socket, byte[] first) {
		List<byte[]> frames = new ArrayList<>(List.of(first));
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

	/** Decodes frames and checks that each beacon has only one form. */
	public static void assertOneForm(List<byte[]> frames) {
		Beacons.Announcement announcement = Beacons.Announcement.of(frames);
		if (announcement != null) {
			assertThat(announcement.port()).isBetween(1, 65_535);
			assertThat(Beacons.Announcement.of(announcement.frames())).isEqualTo(announcement);
		}
		Beacons.Sighting sighting = Beacons.Sighting.of(frames);
		if (sighting != null) {
			assertThat(Beacons.Sighting.of(sighting.frames())).isEqualTo(sighting);
		}
	}

	/** Returns the text form of a key. */
	public static String z85(Bytes key) {
		return Z85.encode(key);
	}

}
