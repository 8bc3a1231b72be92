package io.statestore.broker.log;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when a directory cannot be opened as a store: another process uses it, a newer
 * version wrote it, it contains other files, or access is denied.
 */
public final class StoreDirectoryException extends LogException {

	private static final long serialVersionUID = 1L;

	StoreDirectoryException(String message) {
		this(message, null);
	}

	StoreDirectoryException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
