package io.statestore.broker.artemis.disk;

import java.io.File;
import java.nio.ByteBuffer;

import org.apache.activemq.artemis.core.io.IOCriticalErrorListener;
import org.apache.activemq.artemis.core.io.nio.NIOSequentialFileFactory;
import org.apache.activemq.artemis.utils.critical.CriticalAnalyzer;

/**
 * Files of the journal. Leaves direct buffers to the garbage collector: Artemis frees
 * them with a method of Netty that fails on Java 25, because Netty has not allocated
 * them.
 */
final class JournalFiles extends NIOSequentialFileFactory {

	/** Creates a factory for files whose writes are not collected. */
	JournalFiles(File directory, IOCriticalErrorListener failures, int maxIo) {
		super(directory, failures, maxIo);
	}

	/** Creates a factory for files whose writes are collected for a time. */
	JournalFiles(File directory, int bufferSize, int bufferTimeout, int maxIo, boolean logRates,
			IOCriticalErrorListener failures, CriticalAnalyzer analyzer) {
		super(directory, true, bufferSize, bufferTimeout, maxIo, logRates, failures, analyzer);
	}

	@Override
	public void releaseDirectBuffer(ByteBuffer buffer) {
		// See the description of this class.
	}

}
