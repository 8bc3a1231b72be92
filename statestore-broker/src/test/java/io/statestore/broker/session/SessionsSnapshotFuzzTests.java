package io.statestore.broker.session;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.statestore.broker.codec.Decoder;
import io.statestore.broker.codec.StateFormatException;

import static org.assertj.core.api.Assertions.assertThat;

/** Fuzzes the decoder of session snapshots. */
class SessionsSnapshotFuzzTests {

	@FuzzTest
	void snapshotIsRestoredOrRefused(byte[] input) {
		Sessions sessions = new Sessions();
		try {
			SessionsSnapshot.restore(new Decoder(input, "snapshot"), sessions);
		}
		catch (StateFormatException ex) {
			return;
		}
		assertThat(sessions.memory().used()).isNotNegative();
	}

}
