package io.statestore.broker.artemis.disk;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;

import org.apache.activemq.artemis.core.io.nio.NIOSequentialFileFactory;
import org.jspecify.annotations.Nullable;

/**
 * Files of large messages. A failure affects only one message. It is thrown, because
 * Artemis would otherwise store the beginning of the message.
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
