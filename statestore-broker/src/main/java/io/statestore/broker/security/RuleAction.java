package io.statestore.broker.security;

/** What a rule permits. */
public enum RuleAction {

	/** Reading a key. */
	READ,

	/** Writing a key. */
	WRITE,

	/** Subscribing to topics, and receiving their messages. */
	SUBSCRIBE,

	/** Publishing on a topic. */
	PUBLISH,

	/** Connecting with a client id. */
	CONNECT,

	/** Administration requests. */
	ADMINISTER

}
