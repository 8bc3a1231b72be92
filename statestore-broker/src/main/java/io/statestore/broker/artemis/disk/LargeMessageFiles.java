package io.statestore.broker.artemis.disk;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;

import org.apache.activemq.artemis.core.io.nio.NIOSequentialFileFactory;
import org.jspecify.annotations.Nullable;

/**
 * Files of large messages. A failure affects one message only: it is thrown, so that the
 * message is not stored. Artemis would store its beginning.
 */
final class LargeMessageFiles extends NIOSequentialFileFactory {

	LargeMessageFiles(File directory) {
		super(directory, false, 1);
	}

	@Override
	public void onIOError(Throwable cause, String message, @Nullable String file) {
		throw new UncheckedIOException(new IOException("Failed to write or read " + file, cause));
	}

}
