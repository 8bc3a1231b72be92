package io.statestore.dafka.reading.internal;

/** First bytes of commands. */
final class Ids {

	static final byte RECORD = 'M';

	static final byte DIRECT_RECORD = 'D';

	static final byte FETCH = 'F';

	static final byte ACK = 'K';

	static final byte HEAD = 'H';

	static final byte DIRECT_HEAD = 'E';

	static final byte GET_HEADS = 'G';

	static final byte CONSUMER_HELLO = 'W';

	static final byte STORE_HELLO = 'L';

	/** Extension of RFC 46, see {@link Command.EndOfHeads}. */
	static final byte END_OF_HEADS = 'T';

	static final byte VERSION = 1;

	private Ids() {
	}

}
