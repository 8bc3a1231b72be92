package io.statestore.dafka.node.internal;

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
		return Beacons.receive(socket);
	}

	/** Sends a message. */
	public static void send(ZMQ.Socket socket, List<byte[]> frames) {
		Beacons.send(socket, frames);
	}

	/** Decodes frames, and checks that each beacon has one form. */
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
