package io.statestore.dafka.node.internal;

import io.statestore.dafka.DafkaException;

/** Optional library with the ciphers of CURVE. */
final class BouncyCastle {

	private static final boolean PRESENT = isPresent("org.bouncycastle.crypto.engines.XSalsa20Engine");

	private BouncyCastle() {
	}

	private static boolean isPresent(String name) {
		try {
			Class.forName(name, false, BouncyCastle.class.getClassLoader());
			return true;
		}
		catch (ClassNotFoundException | LinkageError ex) {
			return false;
		}
	}

	/**
	 * Requires the library.
	 * @throws DafkaException if it is not on the class path
	 */
	static void require() {
		if (!PRESENT) {
			throw new DafkaException("CURVE requires Bouncy Castle, which is not on the class path. Add the dependency"
					+ " org.bouncycastle:bcprov-jdk18on");
		}
	}

}
