package io.statestore.broker.log;

import java.io.IOException;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when there is no space for a batch, or when a file cannot be extended for
 * another reason, which the message names. No part of the batch was written. The log
 * stays usable, and the same or another batch may be appended later.
 */
public final class DiskFullException extends LogException {

	private static final long serialVersionUID = 1L;

	/** Operating system messages for a full disk and for an exhausted user quota. */
	private static final List<String> NO_SPACE = List.of("No space left on device", "Disk quota exceeded",
			"There is not enough space on the disk");

	/**
	 * Creates an exception.
	 * @param message what failed, and how to respond
	 * @param cause the file system's error, or {@code null}
	 */
	public DiskFullException(String message, @Nullable Throwable cause) {
		super(message, cause);
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

	static boolean isDiskFull(IOException cause) {
		String message = String.valueOf(cause.getMessage());
		return NO_SPACE.stream().anyMatch(message::contains);
	}

}
