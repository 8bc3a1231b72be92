package io.statestore.broker.engine;

import java.nio.ByteBuffer;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.statestore.broker.codec.StateFormatException;

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
		LogEntryCodecTests.assertRecoded(entry);
	}

}
