package io.statestore.broker.log;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when a directory cannot be used as that of a store or of a cluster node: another
 * process uses it, another version wrote it, it contains other files, access is denied,
 * or the disk is full.
 */
public final class StoreDirectoryException extends LogException {

	private static final long serialVersionUID = 1L;

	/**
	 * Creates an exception.
	 * @param message names the directory and explains how to fix the problem
	 */
	public StoreDirectoryException(String message) {
		this(message, null);
	}

	StoreDirectoryException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

	/**
	 * Returns the exception for an error of the operating system, such as a full disk.
	 * @param directory the store's directory
	 * @param cause the error
	 * @return an exception that names the directory and explains how to fix the problem
	 */
	public static StoreDirectoryException of(Path directory, IOException cause) {
		if (cause instanceof AccessDeniedException denied) {
			return new StoreDirectoryException("No permission to access " + denied.getFile() + ". Grant user '"
					+ System.getProperty("user.name") + "' read and write access to directory " + directory, cause);
		}
		if (cause instanceof FileAlreadyExistsException || cause instanceof NotDirectoryException) {
			return new StoreDirectoryException("Directory " + directory + " cannot be used: " + cause.getMessage()
					+ " is a file. Use another path", cause);
		}
		if (DiskFullException.isDiskFull(cause)) {
			return new StoreDirectoryException("Directory " + directory + " cannot be used, because the disk is full: "
					+ cause.getMessage() + ". Free space on the disk, then try again", cause);
		}
		return new StoreDirectoryException(
				"Directory " + directory + " cannot be used: " + cause + ". Check the path and the disk", cause);
	}

}
