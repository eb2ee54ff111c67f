# Starts RabbitMQ with empty folders, if it is installed.
if command -v rabbitmq-server >/dev/null; then
  export ERL_EPMD_ADDRESS=127.0.0.1 RABBITMQ_NODENAME=rabbit@localhost RABBITMQ_CONF_ENV_FILE=/dev/null
  export RABBITMQ_MNESIA_BASE=$HOME/data RABBITMQ_LOG_BASE=$HOME/log RABBITMQ_PID_FILE=$HOME/pid
  export RABBITMQ_ENABLED_PLUGINS_FILE=$HOME/plugins RABBITMQ_GENERATED_CONFIG_DIR=$HOME/generated
  echo '[].' >"$RABBITMQ_ENABLED_PLUGINS_FILE"
  server "epmd -port 4369 # at 127.0.0.1:4369"
  server "/usr/lib/rabbitmq/bin/rabbitmq-server # at 127.0.0.1:5672"
fi
