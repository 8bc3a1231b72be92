package io.statestore.broker.log;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;

/** Messages for errors of the operating system in the directory of a store. */
final class StoreErrors {

	private StoreErrors() {
	}

	static StoreDirectoryException of(Path directory, IOException cause) {
		if (cause instanceof AccessDeniedException denied) {
			return new StoreDirectoryException("No permission to access " + denied.getFile() + ". Grant user '"
					+ System.getProperty("user.name") + "' read and write access to directory " + directory, cause);
		}
		if (cause instanceof FileAlreadyExistsException || cause instanceof NotDirectoryException) {
			return new StoreDirectoryException("Directory " + directory + " cannot be used: " + cause.getMessage()
					+ " is a file. Use another path", cause);
		}
		return new StoreDirectoryException(
				"Directory " + directory + " cannot be used: " + cause + ". Check the path and the disk", cause);
	}

}
