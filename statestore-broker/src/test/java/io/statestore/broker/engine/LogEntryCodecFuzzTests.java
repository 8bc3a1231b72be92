package io.statestore.broker.engine;

import io.statestore.broker.codec.StateFormatException;

import java.nio.ByteBuffer;

import com.code_intelligence.jazzer.junit.FuzzTest;

import static org.assertj.core.api.Assertions.assertThat;

/** Fuzzes the decoder of log entries. */
class LogEntryCodecFuzzTests {

	@FuzzTest
	void decodedEntrySurvivesRecoding(byte[] input) {
		LogEntry entry;
		try {
			entry = LogEntryCodec.decode(ByteBuffer.wrap(input));
		}
		catch (StateFormatException ex) {
			return;
		}
		assertThat(Machines.recode(entry)).isEqualTo(entry);
	}

}
