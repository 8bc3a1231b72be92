package io.statestore.broker.security;

/** Actions that a rule can permit. */
public enum RuleAction {

	/** Reading a key. */
	READ,

	/** Writing a key. */
	WRITE,

	/** Subscribing to topics and receiving their messages. */
	SUBSCRIBE,

	/** Publishing on a topic. */
	PUBLISH,

	/** Connecting with a client id. */
	CONNECT,

	/** Sending administration requests. */
	ADMINISTER

}
