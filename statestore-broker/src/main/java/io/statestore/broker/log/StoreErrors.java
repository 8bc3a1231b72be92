package io.statestore.broker.log;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.List;

/** Creates messages for operating system errors in a store's directory. */
final class StoreErrors {

	/** Operating system messages for a full disk and for an exhausted user quota. */
	private static final List<String> NO_SPACE = List.of("No space left on device", "Disk quota exceeded",
			"There is not enough space on the disk");

	private StoreErrors() {
	}

	/**
	 * Returns the exception for a file that cannot grow but whose content is intact.
	 * @param action what failed
	 * @param object the file, or the space in it
	 */
	static DiskFullException cannotGrow(String action, String object, IOException cause) {
		boolean full = isDiskFull(cause);
		return new DiskFullException(
				(full ? "No space for " : "Cannot " + action + ' ') + object + ": " + cause.getMessage() + ". "
						+ (full ? "Free space on the disk" : "Check the disk and the limit of open files")
						+ "; the store then continues on its own",
				cause);
	}

	private static boolean isDiskFull(IOException cause) {
		String message = String.valueOf(cause.getMessage());
		return NO_SPACE.stream().anyMatch(message::contains);
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
		if (isDiskFull(cause)) {
			return new StoreDirectoryException("Directory " + directory + " cannot be used, because the disk is full: "
					+ cause.getMessage() + ". Free space on the disk, then try again", cause);
		}
		return new StoreDirectoryException(
				"Directory " + directory + " cannot be used: " + cause + ". Check the path and the disk", cause);
	}

}
