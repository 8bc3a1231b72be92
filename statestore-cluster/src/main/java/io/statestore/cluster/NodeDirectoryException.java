package io.statestore.cluster;

import java.io.IOException;

/**
 * Thrown when a node cannot use its directory. The message names the directory and
 * explains how to fix the problem.
 */
public final class NodeDirectoryException extends IOException {

	private static final long serialVersionUID = 1L;

	NodeDirectoryException(String message) {
		super(message);
	}

}
