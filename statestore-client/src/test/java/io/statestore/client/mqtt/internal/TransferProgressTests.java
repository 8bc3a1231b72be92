package io.statestore.client.mqtt.internal;

import io.statestore.mqtt.Progress;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class TransferProgressTests {

	private final TransferProgress before = new TransferProgress(new Progress(3, 100), new Progress(5, 200));

	@Test
	void isWithinPacketIfBytesOfOnePacketMoved() {
		assertThat(progress(3, 150, 5, 200).isWithinPacketSince(this.before)).isTrue();
		assertThat(progress(4, 150, 5, 201).isWithinPacketSince(this.before)).isTrue();
	}

	@Test
	void isNotWithinPacketIfAnotherPacketBegan() {
		assertThat(progress(4, 150, 6, 250).isWithinPacketSince(this.before)).isFalse();
	}

	@Test
	void isNotWithinPacketIfNothingMoved() {
		assertThat(this.before.isWithinPacketSince(this.before)).isFalse();
		assertThat(TransferProgress.UNKNOWN.isWithinPacketSince(TransferProgress.UNKNOWN)).isFalse();
	}

	private static TransferProgress progress(long packetsReceived, long received, long packetsSent, long sent) {
		return new TransferProgress(new Progress(packetsReceived, received), new Progress(packetsSent, sent));
	}

}
